import { type Command, type GroupId, matching, type Scope } from './commands';
import type { Commands } from './use-commands';

/** Maximum number of lines of a group: during a search, in its own scope, and before anything is typed. */
const SEARCHED = 8;
const ALONE = 24;
const AT_FIRST = { recent: 6, screens: 8, actions: 4 } as const;

/** The lines of the palette by group: a whole group in its own scope, otherwise only its best matches. */
export function sorted(
  { recent, screens, actions, organizations }: Omit<Commands, 'sources'>,
  objectCommands: readonly Command[],
  scope: Scope,
  words: string,
): Readonly<Record<GroupId, readonly Command[]>> {
  const pick = (group: keyof typeof AT_FIRST, commands: readonly Command[]) => {
    if (scope === group) return matching(commands, words, ALONE);
    return scope === 'all' ? matching(commands, words, words === '' ? AT_FIRST[group] : SEARCHED) : [];
  };
  const objectActions =
    scope === 'all' ? objectCommands.filter((command) => command.group === 'actions') : [];
  const showsOrganizations = scope === 'actions' || (scope === 'all' && words !== '');
  return {
    objects: objectCommands.filter((command) => command.group === 'objects'),
    recent: pick('recent', recent),
    screens: pick('screens', screens),
    actions: [...objectActions, ...pick('actions', actions)],
    organizations: showsOrganizations ? matching(organizations, words, SEARCHED) : [],
  };
}
