/** Opens a file of a sandbox in JupyterLab's editor, on a line. */
import type { CodeEditor } from '@jupyterlab/codeeditor';
import type { IDocumentManager } from '@jupyterlab/docmanager';
import { drivePath } from '../drive/paths';
import type { IWish } from './wish';

/** The widget factory of JupyterLab's text editor. */
const EDITOR = 'Editor';

export async function openFile(
  documents: IDocumentManager,
  sandboxId: string,
  wish: IWish
): Promise<void> {
  const path = drivePath(sandboxId, wish.path);
  // A notebook is edited as one; anything else, a CSV or a picture too, as text.
  const factory = path.endsWith('.ipynb') ? 'default' : EDITOR;
  const open = documents.findWidget(path, factory);
  if (open && !open.context.model.dirty) {
    await open.context.revert();
  }
  const widget = documents.openOrReveal(path, factory);
  await widget?.context.ready;
  await widget?.revealed;
  const { editor } = (widget?.content ?? {}) as { editor?: CodeEditor.IEditor };
  if (editor && wish.line) {
    editor.setCursorPosition({ line: wish.line - 1, column: 0 });
    editor.focus();
  }
}
