/** The side panel: draws the sandboxes, holds no state and makes no request. */
import type { TranslationBundle } from '@jupyterlab/translation';
import { refreshIcon, VDomRenderer } from '@jupyterlab/ui-components';
import type { CommandRegistry } from '@lumino/commands';
import type { Message } from '@lumino/messaging';
import React from 'react';
import type { ISandbox } from '../api/types';
import { sandboxIcon } from '../icons';
import { CommandIDs, type ISandboxes, PANEL_ID } from '../tokens';
import { Card } from './card';
import { problemFromError } from './words';

export class SandboxesPanel extends VDomRenderer<ISandboxes> {
  constructor(
    model: ISandboxes,
    private _commands: CommandRegistry,
    private _trajectoryOf: (sandbox: ISandbox) => string,
    private _trans: TranslationBundle
  ) {
    super(model);
    this.id = PANEL_ID;
    this.addClass('jp-Sandbook-Panel');
    this.title.icon = sandboxIcon;
    this.title.caption = this._trans.__('Sandboxes');
    this.node.setAttribute('role', 'region');
    this.node.setAttribute('aria-label', this._trans.__('Sandboxes'));
    this.node.tabIndex = -1;
  }

  protected override render(): JSX.Element {
    const { model, _trans: trans } = this;
    return (
      <>
        <Header model={model} trans={trans} />
        {model.error && (
          <Problem
            error={model.error}
            isStale={model.all.length > 0}
            trans={trans}
          />
        )}
        {model.all.length > 0 ? (
          <ul className="jp-Sandbook-List" role="list">
            {model.all.map(sandbox => (
              <Card
                key={sandbox.id}
                sandbox={sandbox}
                isCurrent={sandbox === model.current}
                actions={model.actionsOf(sandbox.id)}
                showFiles={this._filesOf(sandbox)}
                trajectoryUrl={this._trajectoryOf(sandbox)}
                trans={trans}
              />
            ))}
          </ul>
        ) : (
          !model.error && <Empty isReady={model.isReady} trans={trans} />
        )}
      </>
    );
  }

  /** How to show the files of a sandbox, if somebody can. */
  private _filesOf({ id, state }: ISandbox): (() => void) | undefined {
    const command = CommandIDs.showFiles;
    return state === 'running' && this._commands.hasCommand(command)
      ? () => void this._commands.execute(command, { id })
      : undefined;
  }

  /** Move the focus here, so that the keyboard goes on where the eye does. */
  protected override onActivateRequest(msg: Message): void {
    super.onActivateRequest(msg);
    this.node.focus();
  }
}

function Header(props: {
  model: ISandboxes;
  trans: TranslationBundle;
}): JSX.Element {
  const { model, trans } = props;
  const count = model.all.length;
  const refresh = trans.__('Refresh the list of sandboxes');
  return (
    <header className="jp-Sandbook-Header">
      <h2 className="jp-Sandbook-Header-title">{trans.__('Sandboxes')}</h2>
      <span
        className="jp-Sandbook-Header-count"
        role="status"
        aria-label={trans._n('%1 sandbox', '%1 sandboxes', count)}
      >
        {count}
      </span>
      <button
        type="button"
        className="jp-Sandbook-Refresh"
        title={refresh}
        aria-label={refresh}
        onClick={() => void model.refresh()}
      >
        <refreshIcon.react tag="span" />
      </button>
    </header>
  );
}

function Problem(props: {
  error: Error;
  isStale: boolean;
  trans: TranslationBundle;
}): JSX.Element {
  const { error, isStale, trans } = props;
  const { what, advice } = problemFromError(error, trans);
  return (
    <div className="jp-Sandbook-Problem" role="alert">
      <strong>{what}</strong>
      <p>{advice}</p>
      {isStale && <p>{trans.__('Below is the last list that arrived.')}</p>}
    </div>
  );
}

function Empty(props: {
  isReady: boolean;
  trans: TranslationBundle;
}): JSX.Element {
  const { isReady, trans } = props;
  return (
    <div className="jp-Sandbook-Empty">
      <sandboxIcon.react tag="span" className="jp-Sandbook-Empty-icon" />
      {isReady ? (
        <>
          <strong>{trans.__('No sandbox yet.')}</strong>
          <p>
            {trans.__(
              'Open a notebook with the Sandbook kernel and run a cell.'
            )}
          </p>
        </>
      ) : (
        <p>{trans.__('Looking for sandboxes…')}</p>
      )}
    </div>
  );
}
