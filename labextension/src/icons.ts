/** The icon of Sandbook. */
import { LabIcon } from '@jupyterlab/ui-components';
import sandbookSvg from '../style/icons/sandbook.svg';

export const sandboxIcon = new LabIcon({
  name: 'sandbook:sandbox',
  svgstr: sandbookSvg
});
