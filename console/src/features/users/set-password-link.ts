import { http } from '#/lib/http/client';
import { translate } from '#/lib/i18n';
import { copyText } from '#/ui/clipboard';
import { confirm } from '#/ui/confirm';

interface LinkAnswer {
  /** Given once, to whoever asked for it: the token stands in the fragment, which no server sees. */
  readonly set_password_link?: { readonly url: string; readonly date_expired: string };
}

interface Person {
  readonly id: string;
  readonly name: string;
}

/** Voids the password of a person after a question, then shows the link with which a new one is set. */
export async function resetPassword(person: Person): Promise<void> {
  const goAhead = await confirm({
    title: translate('users:link.ask', { name: person.name }),
    effect: translate('users:link.ask_effect'),
    confirmLabel: translate('users:quick.reset'),
    danger: true,
  });
  if (!goAhead) return;
  const answer = await http.patch<LinkAnswer>(`users/users/${person.id}/password/reset/`, {});
  await showSetPasswordLink(answer);
}

/** Shows the link of an answer that carries one; it cannot be shown again. */
export async function showSetPasswordLink(answer: LinkAnswer): Promise<void> {
  const link = answer.set_password_link;
  if (!link) return;
  const address = new URL(link.url, location.origin).href;
  await confirm({
    title: translate('users:link.title'),
    effect: translate('users:link.effect'),
    names: [address],
    confirmLabel: translate('users:link.copy'),
    run: async () => {
      await copyText(address);
      // Without a secure context nothing was copied: the dialog stays, so that the link can be marked by hand.
      if (!window.isSecureContext) throw new Error('The clipboard is closed.');
    },
  });
}
