/** Lets the browser of the drive look like JupyterLab's own: one choice holds for both. */
import type { FileBrowser } from '@jupyterlab/filebrowser';
import type { ISettingRegistry } from '@jupyterlab/settingregistry';

const BROWSER_SETTINGS = '@jupyterlab/filebrowser-extension:browser';

const KEYS = [
  'allowFileUploads',
  'showDateCreatedColumn',
  'showFileCheckboxes',
  'showFileSizeColumn',
  'showHiddenFiles',
  'showLastModifiedColumn',
  'singleClickNavigation',
  'sortFileNamesNaturally',
  'sortNotebooksFirst'
] as const satisfies readonly (keyof FileBrowser)[];

/** Apply the settings of file browsers now and whenever they change. */
export async function followSettings(
  registry: ISettingRegistry,
  browser: FileBrowser
): Promise<void> {
  try {
    const settings = await registry.load(BROWSER_SETTINGS);
    const apply = () => {
      for (const key of KEYS) {
        browser[key] = settings.composite[key] === true;
      }
    };
    settings.changed.connect(apply);
    apply();
  } catch (error) {
    console.error('The files of sandboxes are shown as by default.', error);
  }
}
