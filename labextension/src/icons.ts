/** The icons of Sandbook. */
import { LabIcon } from '@jupyterlab/ui-components';
import filesSvg from '../style/icons/files.svg';
import sandbookSvg from '../style/icons/sandbook.svg';

export const sandboxIcon = new LabIcon({
  name: 'sandbook:sandbox',
  svgstr: sandbookSvg
});

export const filesIcon = new LabIcon({
  name: 'sandbook:files',
  svgstr: filesSvg
});
