import {
  AppWindow,
  Bell,
  Blocks,
  CircleHelp,
  CircleUser,
  FolderOpen,
  KeyRound,
  LayoutDashboard,
  ListChecks,
  ScrollText,
  Server,
  Settings,
  SquareTerminal,
  Users,
} from 'lucide-react';
import type { SectionIcon } from '#/lib/routes';
import type { Icon } from '#/ui/icon';

/** One icon for each concept, everywhere (visual direction, section 9). */
export const sectionIcons: Record<SectionIcon, Icon> = {
  dashboard: LayoutDashboard,
  users: Users,
  assets: Server,
  permissions: KeyRound,
  sessions: SquareTerminal,
  audits: ScrollText,
  jobs: ListChecks,
  extension: Blocks,
  applications: AppWindow,
  'my-assets': Server,
  files: FolderOpen,
  settings: Settings,
  messages: Bell,
  help: CircleHelp,
  profile: CircleUser,
  terminal: SquareTerminal,
};
