/** The plugins of this extension. */
import sandboxes from './sandboxes/plugin';
import status from './status/plugin';

export default [sandboxes, status];
