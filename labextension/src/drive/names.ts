/** What people call a sandbox when they look at its files. */
import type { TranslationBundle } from '@jupyterlab/translation';
import type { ISandbox } from '../api/types';
import { nameOf, shortId } from '../sandboxes/words';

/** The name of a sandbox: that of its notebook, made unique where it is not. */
export function folderName(
  sandbox: ISandbox,
  all: readonly ISandbox[],
  trans: TranslationBundle
): string {
  const name = nameOf(sandbox, trans);
  const isUnique =
    sandbox.notebook &&
    all.every(
      other => other.id === sandbox.id || nameOf(other, trans) !== name
    );
  return isUnique ? name : `${name} · ${shortId(sandbox.id)}`;
}
