import { accessEffect } from '#/domain/access-preview/effects';
import { translate } from '#/lib/i18n';
import { confirm } from '#/ui/confirm';
import { visible } from '#/ui/visible-text';

/** Asks before a member leaves, saying what access the member loses. */
export function mayLeave(
  group: { readonly id: string; readonly name: string },
  user: string,
  name: string,
): Promise<boolean> {
  return confirm({
    title: translate('users:group.remove_question', { name: visible(name), group: visible(group.name) }),
    effect: translate('users:group.remove_effect'),
    extra: accessEffect([
      { object: 'user_group', action: 'update', id: group.id, values: { remove: [user] } },
    ]),
    confirmLabel: translate('users:group.remove_confirm'),
    danger: true,
  });
}
