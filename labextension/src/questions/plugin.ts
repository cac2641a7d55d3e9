/** Puts the input box of a cell away when the cell ends without an answer. */
import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { listen } from './listener';

const plugin: JupyterFrontEndPlugin<void> = {
  id: 'sandbook-labextension:questions',
  description: 'Puts away the input boxes of cells that were interrupted.',
  autoStart: true,
  activate: (app: JupyterFrontEnd): void => listen(app.shell)
};

export default plugin;
