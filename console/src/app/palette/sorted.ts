import { type Command, type GroupId, matching, type Scope } from './commands';
import type { Commands } from './use-commands';

/** Lines of a group while something is searched, in its own scope, and before anything is typed. */
const SEARCHED = 8;
const ALONE = 24;
const AT_FIRST = { recent: 6, screens: 8, actions: 4 } as const;

/** What the palette shows, by group: all of a group in its own scope, the best of each otherwise. */
export function sorted(
  { recent, screens, actions, organizations }: Omit<Commands, 'sources'>,
  found: readonly Command[],
  scope: Scope,
  words: string,
): Readonly<Record<GroupId, readonly Command[]>> {
  const pick = (group: keyof typeof AT_FIRST, commands: readonly Command[]) => {
    if (scope === group) return matching(commands, words, ALONE);
    return scope === 'all' ? matching(commands, words, words === '' ? AT_FIRST[group] : SEARCHED) : [];
  };
  const ofObjects = scope === 'all' ? found.filter((command) => command.group === 'actions') : [];
  const showsOrganizations = scope === 'actions' || (scope === 'all' && words !== '');
  return {
    objects: found.filter((command) => command.group === 'objects'),
    recent: pick('recent', recent),
    screens: pick('screens', screens),
    actions: [...ofObjects, ...pick('actions', actions)],
    organizations: showsOrganizations ? matching(organizations, words, SEARCHED) : [],
  };
}
