/** The shapes of the server's answers. */

export type Backend = 'docker' | 'bubblewrap' | 'local';

export type Isolation = 'container' | 'namespaces' | 'none';

export type SandboxState = 'running' | 'paused' | 'starting' | 'exited';

/** What a sandbox may use at most; `null` means no limit. */
export interface ILimits {
  memory_mb: number | null;
  cpus: number | null;
  pids: number | null;
}

export interface ISandbox {
  /** Equals `kernel_id`: a kernel owns its sandbox. */
  id: string;
  kernel_id: string;
  backend: Backend;
  isolation: Isolation;
  /** `null` where the backend knows no images. */
  image: string | null;
  state: SandboxState;
  /** The notebook's path, or an empty string when no notebook uses the kernel. */
  notebook: string;
  /** The folder of the server's machine that is the workspace. */
  workspace: string;
  /** ISO 8601, UTC. */
  started_at: string;
  limits: ILimits;
}
