/** Sandboxes to test with. */
import type { ISandbox } from '../../api/types';

/** A running sandbox; its id is its kernel's, as the server promises. */
export function exampleSandbox(
  id: string,
  changes: Partial<ISandbox> = {}
): ISandbox {
  return {
    id,
    kernel_id: id,
    backend: 'docker',
    isolation: 'container',
    image: 'sandbook/base',
    state: 'running',
    notebook: `${id}.ipynb`,
    workspace: '/home/me/notebooks',
    started_at: '2030-01-01T12:00:00Z',
    limits: { memory_mb: 2048, cpus: 2, pids: 512 },
    ...changes
  };
}
