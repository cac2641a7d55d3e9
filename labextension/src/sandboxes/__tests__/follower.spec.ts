/** Following the kernel through notebooks that are signals and nothing more. */
import type { INotebookTracker } from '@jupyterlab/notebook';
import { Signal } from '@lumino/signaling';
import { expect, it, vi } from 'vitest';
import { followKernel } from '../follower';

class FakeNotebook {
  constructor(kernelId: string | null) {
    this.setKernel(kernelId);
  }

  readonly sessionContext = {
    session: null as { kernel: { id: string } } | null,
    kernelChanged: new Signal<object, void>(this)
  };

  setKernel(id: string | null): void {
    this.sessionContext.session = id === null ? null : { kernel: { id } };
    this.sessionContext.kernelChanged.emit();
  }
}

class FakeTracker {
  currentWidget: FakeNotebook | null = null;
  readonly currentChanged = new Signal<this, FakeNotebook | null>(this);

  show(notebook: FakeNotebook | null): void {
    this.currentWidget = notebook;
    this.currentChanged.emit(notebook);
  }
}

function follow(tracker: FakeTracker) {
  const onKernel = vi.fn<(kernelId: string | null) => void>();
  followKernel(tracker as unknown as INotebookTracker, onKernel);
  return onKernel;
}

it('tells the kernel of a notebook that was there before', () => {
  const tracker = new FakeTracker();
  tracker.show(new FakeNotebook('a'));

  const onKernel = follow(tracker);

  expect(onKernel).toHaveBeenLastCalledWith('a');
});

it('tells when the notebook gets another kernel', () => {
  const tracker = new FakeTracker();
  const notebook = new FakeNotebook(null);
  tracker.show(notebook);
  const onKernel = follow(tracker);
  expect(onKernel).toHaveBeenLastCalledWith(null);

  notebook.setKernel('a');

  expect(onKernel).toHaveBeenLastCalledWith('a');
});

it('tells when another notebook becomes the current one', () => {
  const tracker = new FakeTracker();
  tracker.show(new FakeNotebook('a'));
  const onKernel = follow(tracker);

  tracker.show(new FakeNotebook('b'));

  expect(onKernel).toHaveBeenLastCalledWith('b');
});

it('listens no longer to a notebook that was left', () => {
  const tracker = new FakeTracker();
  const left = new FakeNotebook('a');
  tracker.show(left);
  const onKernel = follow(tracker);
  tracker.show(new FakeNotebook('b'));
  onKernel.mockClear();

  left.setKernel('c');

  expect(onKernel).not.toHaveBeenCalled();
});

it('tells when the last notebook is closed', () => {
  const tracker = new FakeTracker();
  tracker.show(new FakeNotebook('a'));
  const onKernel = follow(tracker);

  tracker.show(null);

  expect(onKernel).toHaveBeenLastCalledWith(null);
});
