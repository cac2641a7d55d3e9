/** The status bar item: draws the sandbox of the current notebook. */
import type { TranslationBundle } from '@jupyterlab/translation';
import { VDomRenderer } from '@jupyterlab/ui-components';
import React from 'react';
import { sandboxIcon } from '../icons';
import type { ISandboxes } from '../tokens';
import { statusText, statusTooltip } from './words';

export class StatusItem extends VDomRenderer<ISandboxes> {
  constructor(
    model: ISandboxes,
    private _showPanel: () => void,
    private _trans: TranslationBundle
  ) {
    super(model);
    this.addClass('jp-Sandbook-Status');
  }

  protected override render(): JSX.Element | null {
    const sandbox = this.model.current;
    if (!sandbox) {
      return null;
    }
    const isOpen = sandbox.isolation === 'none';
    this.toggleClass('jp-mod-warning', isOpen);
    return (
      <button
        type="button"
        className="jp-Sandbook-Status-button"
        title={statusTooltip(sandbox, this._trans)}
        onClick={this._showPanel}
      >
        <sandboxIcon.react tag="span" className="jp-Sandbook-Status-icon" />
        {statusText(sandbox, this._trans)}
      </button>
    );
  }
}
