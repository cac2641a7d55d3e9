/** Opens the file that a cell with `%edit` asks for. */
import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { IDocumentManager } from '@jupyterlab/docmanager';
import { ISandboxes } from '../tokens';
import { listen } from './listener';
import { openFile } from './opener';

const plugin: JupyterFrontEndPlugin<void> = {
  id: 'sandbook-labextension:edit',
  description: 'Opens the file that a cell with %edit asks for.',
  autoStart: true,
  requires: [IDocumentManager, ISandboxes],
  activate: (
    app: JupyterFrontEnd,
    documents: IDocumentManager,
    sandboxes: ISandboxes
  ): void => {
    listen(app.shell, async (kernelId, wish) => {
      // Other kernels ask in the same words for files of the server's machine.
      if (await hasSandbox(sandboxes, kernelId)) {
        await openFile(documents, kernelId, wish);
      }
    });
  }
};

export default plugin;

async function hasSandbox(
  sandboxes: ISandboxes,
  kernelId: string
): Promise<boolean> {
  const isKnown = () =>
    sandboxes.all.some(({ kernel_id }) => kernel_id === kernelId);
  if (!isKnown()) {
    await sandboxes.refresh();
  }
  return isKnown();
}
