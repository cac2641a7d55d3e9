/** Shows pages from a sandbox: as high as what is in them, and without the keyboard. */
import type { JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { TRANSLATION_DOMAIN } from '../tokens';
import { guardFocus } from './focus';
import { fit } from './height';

const plugin: JupyterFrontEndPlugin<void> = {
  id: 'sandbook-labextension:frames',
  description:
    'Makes frames with pages from a sandbox as high as they are, and keeps the keyboard from them.',
  autoStart: true,
  optional: [ITranslator],
  activate: (_, translator: ITranslator | null): void => {
    window.addEventListener('message', event => fit(event, document));
    guardFocus((translator ?? nullTranslator).load(TRANSLATION_DOMAIN));
  }
};

export default plugin;
