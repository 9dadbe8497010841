import { mayUse } from '#/lib/permissions';
import type { RouteRecord, Section } from '#/lib/routes';
import type { Session } from '#/lib/session';
import { applicationsSection } from '#/features/applications/routes';
import { assetsSection } from '#/features/assets/routes';
import { auditsSection } from '#/features/audits/routes';
import { connectSection } from '#/features/connect/routes';
import { dashboardSection } from '#/features/dashboard/routes';
import { filesSection } from '#/features/files/routes';
import { helpSection } from '#/features/help/routes';
import { commandsSection, jobsSection } from '#/features/jobs/routes';
import { messagesSection } from '#/features/messages/routes';
import { extensionSection } from '#/features/orgs/routes';
import { permsSection } from '#/features/perms/routes';
import { profileSection } from '#/features/profile/routes';
import { sessionsSection } from '#/features/sessions/routes';
import { isStartOpen } from '#/features/start/closed';
import { settingsSection } from '#/features/settings/routes';
import { startSection } from '#/features/start/routes';
import { storageRecords } from '#/features/storages/routes';
import { usersSection } from '#/features/users/routes';
import {
  credentialsSection,
  fileManagerSection,
  myApplicationsSection,
  webTerminalSection,
  workbenchSection,
} from '#/features/workbench/routes';

/** Storages are set up below the terminals, whose sessions they keep. */
const terminalSection: Section = {
  ...sessionsSection,
  routes: [...sessionsSection.routes, ...storageRecords],
};

/** All screens of the console, by menu section. */
export const sections: readonly Section[] = [
  startSection,
  dashboardSection,
  workbenchSection,
  myApplicationsSection,
  commandsSection,
  credentialsSection,
  webTerminalSection,
  fileManagerSection,
  usersSection,
  assetsSection,
  applicationsSection,
  permsSection,
  terminalSection,
  auditsSection,
  jobsSection,
  extensionSection,
  settingsSection,
  messagesSection,
  helpSection,
  profileSection,
  connectSection,
  filesSection,
].sort((a, b) => a.order - b.order);

export const records: readonly RouteRecord[] = sections.flatMap((section) => section.routes);

const byName = new Map(records.map((record) => [record.name, record]));
if (byName.size !== records.length) throw new Error('two screens share a name');

export function recordNamed(name: string | undefined): RouteRecord | undefined {
  return name === undefined ? undefined : byName.get(name);
}

export function sectionOf(record: RouteRecord): Section | undefined {
  return sections.find((section) => section.routes.includes(record));
}

/** Why a screen cannot be opened now; null when it can. */
export type Refusal = 'permission' | 'licence' | 'setting';

export function refusalOf(record: RouteRecord, session: Session): Refusal | null {
  if (!mayUse(session.currentRole, record.permission ?? 'admin')) return 'permission';
  if (record.licence && session.settings.XPACK_LICENSE_IS_VALID !== true) return 'licence';
  if (record.setting !== undefined && !session.settings[record.setting]) return 'setting';
  return null;
}

/** Sections with the screens that this person may open now, including hidden ones. */
export function openTo(session: Session, from: readonly Section[] = sections): readonly Section[] {
  return from
    .map((section) => ({
      ...section,
      routes: section.routes.filter((record) => refusalOf(record, session) === null),
    }))
    .filter((section) => section.routes.length > 0);
}

/** Sections and entries of the sidebar for this person. */
export function menuFor(session: Session, from: readonly Section[] = sections): readonly Section[] {
  return openTo(session, from)
    .map((section) => ({ ...section, routes: section.routes.filter((record) => !record.hidden) }))
    .filter((section) => section.routes.length > 0);
}

/** Target of `/`: the first steps until the person closes them, then the first screen of the menu. */
export function homeOf(session: Session): string {
  const start = startSection.routes[0];
  if (start && isStartOpen(session) && refusalOf(start, session) === null) return start.path;
  return menuFor(session)[0]?.routes[0]?.path ?? '/403';
}
