/** The words of the status bar item; all functions are pure. */
import type { TranslationBundle } from '@jupyterlab/translation';
import type { ISandbox } from '../api/types';

/** Backend and image, or a warning in the image's place when nothing isolates. */
export function statusText(
  sandbox: ISandbox,
  trans: TranslationBundle
): string {
  const detail =
    sandbox.isolation === 'none' ? trans.__('no isolation') : sandbox.image;
  return detail ? `${sandbox.backend} · ${detail}` : sandbox.backend;
}

export function statusTooltip(
  sandbox: ISandbox,
  trans: TranslationBundle
): string {
  switch (sandbox.isolation) {
    case 'container':
      return trans.__('This notebook runs in a container of its own.');
    case 'namespaces':
      return trans.__('This notebook runs in namespaces of its own.');
    case 'none':
      return trans.__(
        'This notebook is not isolated: it runs on the machine of the Jupyter server.'
      );
  }
}
