/** Shows the sandbox of the current notebook in the status bar. */
import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { IStatusBar } from '@jupyterlab/statusbar';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { CommandIDs, ISandboxes, TRANSLATION_DOMAIN } from '../tokens';
import { StatusItem } from './widget';

const PLUGIN_ID = 'sandbook-labextension:status';

const plugin: JupyterFrontEndPlugin<void> = {
  id: PLUGIN_ID,
  description: 'Shows the sandbox of the current notebook in the status bar.',
  autoStart: true,
  requires: [ISandboxes],
  optional: [IStatusBar, ITranslator],
  activate: (
    app: JupyterFrontEnd,
    sandboxes: ISandboxes,
    statusBar: IStatusBar | null,
    translator: ITranslator | null
  ): void => {
    if (!statusBar) {
      return;
    }
    const trans = (translator ?? nullTranslator).load(TRANSLATION_DOMAIN);
    const showPanel = () => void app.commands.execute(CommandIDs.showPanel);
    statusBar.registerStatusItem(PLUGIN_ID, {
      item: new StatusItem(sandboxes, showPanel, trans),
      align: 'left',
      rank: 4,
      isActive: () => sandboxes.current !== null,
      activeStateChanged: sandboxes.stateChanged
    });
  }
};

export default plugin;
