import { resourceScreens } from '#/resource/screens';
import { label } from './label.resource';

export const labelPages = resourceScreens(label);
