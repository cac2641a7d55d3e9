/** Tells which kernel the current notebook has, whenever that changes. */
import type { ISessionContext } from '@jupyterlab/apputils';
import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';

/** Call `onKernel` now and at each change, for as long as the tracker lives. */
export function followKernel(
  tracker: INotebookTracker,
  onKernel: (kernelId: string | null) => void
): void {
  let context: ISessionContext | null = null;

  const tell = () => onKernel(context?.session?.kernel?.id ?? null);

  const onNotebook = (_: unknown, notebook: NotebookPanel | null) => {
    context?.kernelChanged.disconnect(tell);
    context = notebook?.sessionContext ?? null;
    context?.kernelChanged.connect(tell);
    tell();
  };

  tracker.currentChanged.connect(onNotebook);
  onNotebook(tracker, tracker.currentWidget);
}
