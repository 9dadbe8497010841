import { resourceScreens } from '#/resource/screens';
import { terminal } from './terminal.resource';

export const terminalPages = resourceScreens(terminal);
