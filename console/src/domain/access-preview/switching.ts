import { http } from '#/lib/http/client';
import { translate } from '#/lib/i18n';
import type { BulkTools } from '#/resource/define';
import { confirm } from '#/ui/confirm';
import { toast } from '#/ui/toast';
import { deactivationEffect } from './effects';

/** Keys of texts. `question`, `on` and `off` get the number of objects as `count`. */
interface Words {
  readonly question: string;
  readonly effect: string;
  readonly confirm: string;
  readonly on: string;
  readonly off: string;
}

/**
 * Switches people or assets on, or off after a question that says who loses access, and which sessions end. `one`: the
 * switch on a page; `many`: the actions of a list.
 */
export function switchingOf(object: 'user' | 'asset', api: 'users/users/' | 'assets/assets/', words: Words) {
  const ask = (ids: readonly string[], names: readonly string[], run: () => Promise<unknown>) =>
    confirm({
      title: translate(words.question, { count: ids.length }),
      effect: translate(words.effect),
      extra: deactivationEffect(object, ids),
      names,
      confirmLabel: translate(words.confirm),
      danger: true,
      run,
    });
  return {
    one: async (id: string, name: string, active: boolean): Promise<void> => {
      const write = (quiet: boolean) => http.patch(`${api}${id}/`, { is_active: active }, { quiet });
      if (active) await write(false);
      else await ask([id], [name], () => write(true));
    },
    many: async (ids: readonly string[], active: boolean, tools: BulkTools): Promise<void> => {
      const items = ids.map((id) => ({ id, is_active: active }));
      const write = (quiet: boolean) => http.patch(api, items, { quiet });
      if (active) await write(false);
      else if (!(await ask(ids, tools.names, () => write(true)))) return;
      toast({ tone: 'ok', text: translate(active ? words.on : words.off, { count: ids.length }) });
      tools.refresh();
    },
  };
}
