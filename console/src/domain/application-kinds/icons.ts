import { AppWindow, Boxes, Database } from 'lucide-react';
import type { Icon } from '#/ui/icon';
import type { ApplicationCategory } from './kinds';

export const CATEGORY_ICONS: Readonly<Record<ApplicationCategory, Icon>> = {
  remote_app: AppWindow,
  db: Database,
  cloud: Boxes,
};
