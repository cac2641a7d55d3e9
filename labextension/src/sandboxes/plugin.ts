/** Provides the sandboxes and shows them in the side panel. */
import {
  ILayoutRestorer,
  type JupyterFrontEnd,
  type JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { INotebookTracker } from '@jupyterlab/notebook';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import {
  ITranslator,
  nullTranslator,
  type TranslationBundle
} from '@jupyterlab/translation';
import { listSandboxes, trajectoryUrl } from '../api/client';
import { sandboxIcon } from '../icons';
import {
  CommandIDs,
  ISandboxes,
  PANEL_ID,
  TRANSLATION_DOMAIN
} from '../tokens';
import { followKernel } from './follower';
import { DEFAULT_INTERVAL_S, SandboxesModel } from './model';
// The panel's tab is on screen from the start: there is nothing to load later.
// eslint-disable-next-line jupyter/prefer-lazy-imports
import { SandboxesPanel } from './widget';

const PLUGIN_ID = 'sandbook-labextension:plugin';

/** Where the panel's tab stands among those of the right side bar. */
const PANEL_RANK = 650;

const plugin: JupyterFrontEndPlugin<ISandboxes> = {
  id: PLUGIN_ID,
  description: 'Provides the sandboxes and shows them in the side panel.',
  autoStart: true,
  provides: ISandboxes,
  optional: [
    INotebookTracker,
    ISettingRegistry,
    ILayoutRestorer,
    ICommandPalette,
    ITranslator
  ],
  activate: (
    app: JupyterFrontEnd,
    tracker: INotebookTracker | null,
    settings: ISettingRegistry | null,
    restorer: ILayoutRestorer | null,
    palette: ICommandPalette | null,
    translator: ITranslator | null
  ): ISandboxes => {
    const trans = (translator ?? nullTranslator).load(TRANSLATION_DOMAIN);
    const model = createModel(app, tracker);
    const { serverSettings } = app.serviceManager;
    const panel = new SandboxesPanel(
      model,
      app.commands,
      ({ id }) => trajectoryUrl(serverSettings, id),
      trans
    );
    app.shell.add(panel, 'right', { rank: PANEL_RANK });
    restorer?.add(panel, panel.id);
    addCommand(app, trans);
    palette?.addItem({
      command: CommandIDs.showPanel,
      category: trans.__('Sandbox')
    });
    if (settings) {
      void followSettings(settings, model);
    }
    return model;
  }
};

export default plugin;

/** Make the model, and let it look again as soon as something starts or stops. */
function createModel(
  app: JupyterFrontEnd,
  tracker: INotebookTracker | null
): SandboxesModel {
  const { events, kernels, sessions, serverSettings } = app.serviceManager;
  const model = new SandboxesModel(() => listSandboxes(serverSettings));
  kernels.runningChanged.connect(model.refresh, model);
  sessions.runningChanged.connect(model.refresh, model);
  events.stream.connect((_, event) => model.takeEvent(event));
  if (tracker) {
    followKernel(tracker, kernelId => {
      model.kernelId = kernelId;
    });
  }
  return model;
}

function addCommand(app: JupyterFrontEnd, trans: TranslationBundle): void {
  app.commands.addCommand(CommandIDs.showPanel, {
    label: trans.__('Show Sandboxes'),
    caption: trans.__('Show the sandboxes of your notebooks'),
    icon: sandboxIcon,
    describedBy: { args: { type: 'object', properties: {} } },
    execute: () => app.shell.activateById(PANEL_ID)
  });
}

/** Apply the settings now and whenever they change. */
async function followSettings(
  registry: ISettingRegistry,
  model: SandboxesModel
): Promise<void> {
  try {
    const settings = await registry.load(PLUGIN_ID);
    const apply = () => {
      const seconds = settings.composite['pollIntervalSeconds'];
      model.interval_s = Number(seconds ?? DEFAULT_INTERVAL_S);
    };
    settings.changed.connect(apply);
    apply();
  } catch (error) {
    console.error('Sandbook works with its default settings.', error);
  }
}
