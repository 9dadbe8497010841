import type { Figures, Preview } from '#/domain/access-preview/preview';

type Numbers = readonly [people: number, targets: number, pairs: number];

const figures = ([people, targets, pairs]: Numbers = [0, 0, 0]): Figures => ({ people, targets, pairs });

/** An answer of `POST perms/preview/` about assets. The lists name the first person and the first assets. */
export function previewOf(change: {
  readonly gained?: Numbers;
  readonly lost?: Numbers;
  readonly asRoot?: Numbers;
}): Preview {
  const nothing = { gained: figures(), lost: figures(), system_users: [] };
  const people = Math.max(change.gained?.[0] ?? 0, change.lost?.[0] ?? 0, change.asRoot?.[0] ?? 0);
  const targets = Math.max(change.gained?.[1] ?? 0, change.lost?.[1] ?? 0);
  const root = { id: 'su', name: 'root of web', is_privileged: true, lost: figures() };
  return {
    assets: {
      gained: figures(change.gained),
      lost: figures(change.lost),
      system_users: change.asRoot ? [{ ...root, gained: figures(change.asRoot) }] : [],
    },
    applications: nothing,
    people: {
      count: people,
      results:
        people === 0
          ? []
          : [
              {
                id: 'li',
                name: 'Li',
                username: 'li',
                gained_assets: change.gained?.[1] ?? 0,
                lost_assets: change.lost?.[1] ?? 0,
                gained_applications: 0,
                lost_applications: 0,
              },
            ],
    },
    asset_list: {
      count: targets,
      results:
        targets === 0
          ? []
          : [{ id: 'a1', name: 'web-1', gained: Boolean(change.gained), lost: Boolean(change.lost) }],
    },
    application_list: { count: 0, results: [] },
  };
}
