/** Deletes files of a sandbox, which has no trash, whatever JupyterLab's menu calls it. */
import { Dialog, showDialog, showErrorMessage } from '@jupyterlab/apputils';
import type { FileBrowser } from '@jupyterlab/filebrowser';
import type { TranslationBundle } from '@jupyterlab/translation';

/** Let the browser ask in true words: JupyterLab's would promise the trash of the server. */
export function deleteForGood(
  browser: FileBrowser,
  trans: TranslationBundle
): void {
  const { manager } = browser.model;
  browser.delete = async () => {
    const items = [...browser.selectedItems()];
    if (items.length === 0 || !(await isAgreed(items, trans))) {
      return;
    }
    try {
      await Promise.all(items.map(({ path }) => manager.deleteFile(path)));
    } catch (error) {
      await showErrorMessage(trans.__('Cannot delete'), error as Error);
    }
  };
}

async function isAgreed(
  items: readonly { name: string }[],
  trans: TranslationBundle
): Promise<boolean> {
  const { button } = await showDialog({
    title: trans.__('Delete'),
    body:
      items.length === 1
        ? trans.__('Delete %1 for good? A sandbox has no trash.', items[0].name)
        : trans.__(
            'Delete %1 items for good? A sandbox has no trash.',
            items.length
          ),
    buttons: [
      Dialog.cancelButton({ label: trans.__('Cancel') }),
      Dialog.warnButton({ label: trans.__('Delete') })
    ],
    defaultButton: 0
  });
  return button.accept;
}
