/** Mounts the sandboxes as a drive and shows it in a file browser of its own. */
import {
  ILayoutRestorer,
  type JupyterFrontEnd,
  type JupyterFrontEndPlugin
} from '@jupyterlab/application';
import {
  type FileBrowser,
  IDefaultFileBrowser,
  IFileBrowserFactory
} from '@jupyterlab/filebrowser';
import { INotebookTracker } from '@jupyterlab/notebook';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { ISandboxes, TRANSLATION_DOMAIN } from '../tokens';
// The drive and the browser's tab are there from the start: there is nothing to load later.
/* eslint-disable jupyter/prefer-lazy-imports */
import { createBrowser } from './browser';
import { addCommands } from './commands';
import { stayAside } from './current';
import { SandboxDrive } from './drive';
import { markNotebooks, wantsNotebook } from './notice';
import { followSettings } from './settings';
/* eslint-enable jupyter/prefer-lazy-imports */

/** Where the browser's tab stands among those of the left side bar: below JupyterLab's own. */
const BROWSER_RANK = 101;

const plugin: JupyterFrontEndPlugin<void> = {
  id: 'sandbook-labextension:drive',
  description:
    'Mounts the sandboxes as a drive and shows it in a file browser of its own.',
  autoStart: true,
  requires: [ISandboxes],
  optional: [
    IFileBrowserFactory,
    IDefaultFileBrowser,
    INotebookTracker,
    ILayoutRestorer,
    ISettingRegistry,
    ITranslator
  ],
  activate: (
    app: JupyterFrontEnd,
    sandboxes: ISandboxes,
    factory: IFileBrowserFactory | null,
    ordinary: FileBrowser | null,
    notebooks: INotebookTracker | null,
    restorer: ILayoutRestorer | null,
    settings: ISettingRegistry | null,
    translator: ITranslator | null
  ): void => {
    const language = translator ?? nullTranslator;
    const { contents, serverSettings } = app.serviceManager;
    const trans = language.load(TRANSLATION_DOMAIN);
    const drive = new SandboxDrive(serverSettings, trans, () =>
      wantsNotebook(trans)
    );
    contents.addDrive(drive);
    if (notebooks) {
      markNotebooks(notebooks, trans);
    }
    if (!factory) {
      return;
    }
    const browser = createBrowser(factory, drive, sandboxes, language);
    app.shell.add(browser, 'left', { rank: BROWSER_RANK });
    if (ordinary) {
      stayAside(browser, ordinary);
    }
    restorer?.add(browser, browser.id);
    if (settings) {
      void followSettings(settings, browser);
    }
    addCommands(app, browser, sandboxes, trans);
  }
};

export default plugin;
