/** All sandboxes as one drive of JupyterLab: a folder for each, below it its files. */
import {
  type Contents,
  Drive,
  type ServerConnection
} from '@jupyterlab/services';
import type { TranslationBundle } from '@jupyterlab/translation';
import { type ISignal, Signal } from '@lumino/signaling';
import { listSandboxes, settingsOf } from '../api/client';
import { folderName } from './names';
import { explained } from './problems';
import {
  DRIVE_NAME,
  type IPlace,
  modelInDrive,
  placeOf,
  rootModel
} from './paths';

export class SandboxDrive implements Contents.IDrive {
  constructor(
    readonly serverSettings: ServerConnection.ISettings,
    private _trans: TranslationBundle,
    private _wantsNotebook: () => Promise<boolean>
  ) {}

  readonly name = DRIVE_NAME;

  get fileChanged(): ISignal<this, Contents.IChangedArgs> {
    return this._fileChanged;
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  dispose(): void {
    this._isDisposed = true;
    this._drives.clear();
    Signal.clearData(this);
  }

  async get(
    localPath: string,
    options?: Contents.IFetchOptions
  ): Promise<Contents.IModel> {
    const place = placeOf(localPath);
    if (!place) {
      const all = await listSandboxes(this.serverSettings);
      return rootModel(all, one => folderName(one, all, this._trans));
    }
    return this._model(place, drive => drive.get(place.path, options));
  }

  async getDownloadUrl(localPath: string): Promise<string> {
    const place = this._inside(localPath);
    return this._ask(place, drive => drive.getDownloadUrl(place.path));
  }

  async newUntitled(
    options: Contents.ICreateOptions = {}
  ): Promise<Contents.IModel> {
    const place = placeOf(options.path ?? '');
    if (!place) {
      throw new Error(this._trans.__('Open the folder of a sandbox first.'));
    }
    // It ends with the sandbox, which nobody expects of a notebook.
    if (options.type === 'notebook' && !(await this._wantsNotebook())) {
      throw new Error(this._trans.__('No notebook was created.'));
    }
    return this._model(place, drive =>
      drive.newUntitled({ ...options, path: place.path })
    );
  }

  async delete(localPath: string): Promise<void> {
    const place = this._inside(localPath);
    return this._ask(place, drive => drive.delete(place.path));
  }

  async rename(oldPath: string, newPath: string): Promise<Contents.IModel> {
    const from = this._inside(oldPath);
    const to = this._inside(newPath);
    this._checkSame(from, to);
    return this._model(from, drive => drive.rename(from.path, to.path));
  }

  async save(
    localPath: string,
    options: Partial<Contents.IModel> & Contents.IContentProvisionOptions = {}
  ): Promise<Contents.IModel> {
    const place = this._inside(localPath);
    const { path } = place;
    return this._model(place, drive => drive.save(path, { ...options, path }));
  }

  async copy(fromPath: string, toFolder: string): Promise<Contents.IModel> {
    const from = this._inside(fromPath);
    const to = placeOf(toFolder);
    this._checkSame(from, to);
    return this._model(from, drive => drive.copy(from.path, to.path));
  }

  async createCheckpoint(
    localPath: string
  ): Promise<Contents.ICheckpointModel> {
    const place = this._inside(localPath);
    return this._ask(place, drive => drive.createCheckpoint(place.path));
  }

  async listCheckpoints(
    localPath: string
  ): Promise<Contents.ICheckpointModel[]> {
    const place = this._inside(localPath);
    return this._ask(place, drive => drive.listCheckpoints(place.path));
  }

  async restoreCheckpoint(localPath: string, id: string): Promise<void> {
    const place = this._inside(localPath);
    return this._ask(place, drive => drive.restoreCheckpoint(place.path, id));
  }

  async deleteCheckpoint(localPath: string, id: string): Promise<void> {
    const place = this._inside(localPath);
    return this._ask(place, drive => drive.deleteCheckpoint(place.path, id));
  }

  /** Where something is that may be changed: the sandboxes themselves may not. */
  private _inside(localPath: string): IPlace {
    const place = placeOf(localPath);
    if (!place?.path) {
      throw new Error(
        this._trans.__(
          'A sandbox belongs to its notebook: rename the notebook, or shut down its kernel.'
        )
      );
    }
    return place;
  }

  private _checkSame(from: IPlace, to: IPlace | null): asserts to is IPlace {
    if (from.sandboxId !== to?.sandboxId) {
      throw new Error(
        this._trans.__(
          'A file stays in its sandbox: download it here and upload it there.'
        )
      );
    }
  }

  private async _model(
    place: IPlace,
    ask: (drive: Drive) => Promise<Contents.IModel>
  ): Promise<Contents.IModel> {
    return modelInDrive(place.sandboxId, await this._ask(place, ask));
  }

  private async _ask<T>(
    place: IPlace,
    ask: (drive: Drive) => Promise<T>
  ): Promise<T> {
    try {
      return await ask(this._driveOf(place.sandboxId));
    } catch (error) {
      throw await explained(error, place, this.serverSettings, this._trans);
    }
  }

  /** The drive of one sandbox: JupyterLab's own, which speaks Jupyter's contents API. */
  private _driveOf(sandboxId: string): Drive {
    const known = this._drives.get(sandboxId);
    if (known) {
      return known;
    }
    const drive = new Drive({
      serverSettings: settingsOf(sandboxId, this.serverSettings),
      apiEndpoint: 'contents'
    });
    drive.fileChanged.connect((_, { type, oldValue, newValue }) => {
      this._fileChanged.emit({
        type,
        oldValue: oldValue && modelInDrive(sandboxId, oldValue),
        newValue: newValue && modelInDrive(sandboxId, newValue)
      });
    });
    this._drives.set(sandboxId, drive);
    return drive;
  }

  private _drives = new Map<string, Drive>();
  private _fileChanged = new Signal<this, Contents.IChangedArgs>(this);
  private _isDisposed = false;
}
