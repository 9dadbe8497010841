import {
  BadgeCheck,
  Bell,
  Bird,
  Bolt,
  BookUser,
  FileText,
  Info,
  KeyRound,
  Mail,
  MessageSquare,
  ScrollText,
  Shield,
  SlidersHorizontal,
  SquareTerminal,
  Webhook,
} from 'lucide-react';
import type { Icon } from '#/ui/icon';

/** Categories of the API, one form each. */
export const FORMS = [
  'basic',
  'email',
  'email_content',
  'terminal',
  'security',
  'ldap',
  'wecom',
  'dingtalk',
  'feishu',
  'syslog',
] as const;
export type Category = (typeof FORMS)[number];

export const TABS = [...FORMS, 'openid', 'saml', 'messages', 'webhooks', 'licence', 'about'] as const;
export type TabId = (typeof TABS)[number];

export const TAB_ICONS: Record<TabId, Icon> = {
  basic: SlidersHorizontal,
  email: Mail,
  email_content: FileText,
  terminal: SquareTerminal,
  security: Shield,
  ldap: BookUser,
  wecom: MessageSquare,
  dingtalk: Bolt,
  feishu: Bird,
  syslog: ScrollText,
  openid: KeyRound,
  saml: KeyRound,
  messages: Bell,
  webhooks: Webhook,
  licence: BadgeCheck,
  about: Info,
};

export function isForm(tab: string): tab is Category {
  return (FORMS as readonly string[]).includes(tab);
}
