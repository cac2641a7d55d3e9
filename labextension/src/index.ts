/** The plugins of this extension. */
import drive from './drive/plugin';
import edit from './edit/plugin';
import frames from './frames/plugin';
import questions from './questions/plugin';
import sandboxes from './sandboxes/plugin';
import status from './status/plugin';

export default [sandboxes, status, drive, edit, frames, questions];
