/** Draws one sandbox as a card of the panel. */
import type { TranslationBundle } from '@jupyterlab/translation';
import { folderIcon } from '@jupyterlab/ui-components';
import React from 'react';
import { ActivityList } from '../activity/list';
import type { IAction } from '../activity/log';
import type { ISandbox } from '../api/types';
import {
  limitsInWords,
  nameOf,
  shortId,
  stateInWords,
  uptimeInWords
} from './words';

const TICK_MS = 1000;

interface ICardProps {
  sandbox: ISandbox;
  isCurrent: boolean;
  /** What agents did lately in it. */
  actions: readonly IAction[];
  /** Where all that was done in it comes as a notebook. */
  trajectoryUrl: string;
  /** Shows the files of the sandbox; missing where there is no file browser. */
  showFiles?: () => void;
  trans: TranslationBundle;
}

export function Card(props: ICardProps): JSX.Element {
  const { sandbox, isCurrent, actions, trajectoryUrl, showFiles, trans } =
    props;
  return (
    <li
      className="jp-Sandbook-Card"
      data-sandbox-id={sandbox.id}
      data-state={sandbox.state}
      aria-current={isCurrent || undefined}
    >
      <div className="jp-Sandbook-Card-header">
        <span className="jp-Sandbook-Dot" aria-hidden="true" />
        <h3 className="jp-Sandbook-Card-name" title={sandbox.notebook}>
          {nameOf(sandbox, trans)}
        </h3>
        {isCurrent && (
          <span className="jp-Sandbook-Card-current">
            {trans.__('this notebook')}
          </span>
        )}
      </div>
      <div className="jp-Sandbook-Card-row">
        <span>{stateInWords(sandbox.state, trans)}</span>
        {sandbox.state !== 'exited' && (
          <Uptime startedAt={sandbox.started_at} trans={trans} />
        )}
        <span
          className="jp-Sandbook-Card-id"
          title={trans.__('Sandbox %1', sandbox.id)}
        >
          {shortId(sandbox.id)}
        </span>
      </div>
      <div className="jp-Sandbook-Card-row">
        <span className="jp-Sandbook-Badge">{sandbox.backend}</span>
        {sandbox.isolation === 'none' && (
          <span
            className="jp-Sandbook-Badge jp-mod-warning"
            title={trans.__(
              'Commands run on the machine of the Jupyter server itself.'
            )}
          >
            {trans.__('no isolation')}
          </span>
        )}
        {sandbox.image && (
          <span className="jp-Sandbook-Card-image" title={sandbox.image}>
            {sandbox.image}
          </span>
        )}
        {showFiles && (
          <button
            type="button"
            className="jp-Sandbook-Files"
            title={trans.__('Show the files of this sandbox')}
            onClick={showFiles}
          >
            <folderIcon.react tag="span" />
            {trans.__('Files')}
          </button>
        )}
      </div>
      <div className="jp-Sandbook-Card-row">
        {limitsInWords(sandbox.limits, trans)}
        <a
          className="jp-Sandbook-Trajectory"
          href={trajectoryUrl}
          download
          title={trans.__(
            'Download all that people and agents did here, as a notebook that does it again'
          )}
        >
          {trans.__('Trajectory')}
        </a>
      </div>
      <ActivityList actions={actions} trans={trans} />
    </li>
  );
}

/** The time since the start, which goes on between two polls. */
function Uptime(props: {
  startedAt: string;
  trans: TranslationBundle;
}): JSX.Element {
  const [now, setNow] = React.useState(() => Date.now());
  React.useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <time className="jp-Sandbook-Card-uptime" dateTime={props.startedAt}>
      {uptimeInWords(props.startedAt, now, props.trans)}
    </time>
  );
}
