import { resourceScreens } from '#/resource/screens';
import { batchCommand } from './batch-command.resource';

export const batchCommandPages = resourceScreens(batchCommand);
