/** The state that panel and status bar draw: knows neither React nor URLs. */
import { VDomModel } from '@jupyterlab/ui-components';
import { type IPoll, Poll } from '@lumino/polling';
import { type ActionLog, type IAction, withEvent } from '../activity/log';
import type { ISandbox } from '../api/types';
import type { ISandboxes } from '../tokens';

export const DEFAULT_INTERVAL_S = 3;

/** The longest wait between two looks while the server does not answer. */
const MAX_BACKOFF_S = 30;

type SandboxesPoll = Poll<ISandbox[], unknown>;

export class SandboxesModel extends VDomModel implements ISandboxes {
  constructor(fetchSandboxes: () => Promise<ISandbox[]>) {
    super();
    this._poll = new Poll({
      name: 'sandbook:sandboxes',
      factory: fetchSandboxes,
      frequency: frequencyFromSeconds(DEFAULT_INTERVAL_S),
      standby: 'when-hidden'
    });
    this._poll.ticked.connect(this._onTicked, this);
  }

  get all(): readonly ISandbox[] {
    return this._all;
  }

  get current(): ISandbox | null {
    const first = this._all.at(0);
    return first && first.kernel_id === this._kernelId ? first : null;
  }

  get isReady(): boolean {
    return this._isReady;
  }

  get error(): Error | null {
    return this._error;
  }

  /** The kernel of the current notebook. */
  get kernelId(): string | null {
    return this._kernelId;
  }
  set kernelId(id: string | null) {
    if (id === this._kernelId) {
      return;
    }
    this._kernelId = id;
    this._all = orderSandboxes(this._all, id);
    this.stateChanged.emit();
  }

  /** Seconds between two polls. */
  get interval_s(): number {
    return this._poll.frequency.interval / 1000;
  }
  set interval_s(seconds: number) {
    if (seconds === this.interval_s) {
      return;
    }
    this._poll.frequency = frequencyFromSeconds(seconds);
    // Otherwise the old, perhaps long, wait would have to pass first.
    void this.refresh();
  }

  actionsOf(sandboxId: string): readonly IAction[] {
    return this._log.get(sandboxId) ?? [];
  }

  /** Take one of the server's events; most of them are not about sandboxes. */
  takeEvent(event: Record<string, unknown>): void {
    const log = withEvent(this._log, event);
    if (log !== this._log) {
      this._log = log;
      this.stateChanged.emit();
    }
  }

  refresh(): Promise<void> {
    return this._poll.refresh();
  }

  override dispose(): void {
    if (this.isDisposed) {
      return;
    }
    this._poll.dispose();
    super.dispose();
  }

  private _onTicked(
    _: SandboxesPoll,
    state: IPoll.State<ISandbox[], unknown, IPoll.Phase<string>>
  ): void {
    // The first answer after a failure comes as `reconnected`.
    if (state.phase === 'resolved' || state.phase === 'reconnected') {
      this._all = orderSandboxes(state.payload as ISandbox[], this._kernelId);
      this._error = null;
      this._isReady = true;
      this.stateChanged.emit();
    } else if (state.phase === 'rejected') {
      this._error = errorFromUnknown(state.payload);
      this.stateChanged.emit();
    }
  }

  private _all: readonly ISandbox[] = [];
  private _error: Error | null = null;
  private _isReady = false;
  private _kernelId: string | null = null;
  private _log: ActionLog = new Map();
  private _poll: SandboxesPoll;
}

/** Sort a copy: the sandbox of the kernel first, then the newest. */
export function orderSandboxes(
  sandboxes: readonly ISandbox[],
  kernelId: string | null
): ISandbox[] {
  const isOther = (sandbox: ISandbox) => Number(sandbox.kernel_id !== kernelId);
  return [...sandboxes].sort(
    (a, b) =>
      isOther(a) - isOther(b) ||
      Date.parse(b.started_at) - Date.parse(a.started_at) ||
      a.id.localeCompare(b.id)
  );
}

function frequencyFromSeconds(seconds: number): IPoll.Frequency {
  return {
    interval: seconds * 1000,
    backoff: true,
    max: Math.max(seconds, MAX_BACKOFF_S) * 1000
  };
}

function errorFromUnknown(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}
