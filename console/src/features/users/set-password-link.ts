import { http } from '#/lib/http/client';
import { translate } from '#/lib/i18n';
import { credentialsToEnd } from '#/domain/credentials/held-credentials';
import { copyText } from '#/ui/clipboard';
import { confirm } from '#/ui/confirm';
import { toast } from '#/ui/toast';

interface LinkAnswer {
  /**
   * Returned once, to the administrator who asked for it. The token is in the fragment, which browsers do not send to a
   * server.
   */
  readonly set_password_link?: { readonly url: string; readonly date_expired: string } | null;
  /** In place of the link, when it goes to its owner by mail. `msg` names the address. */
  readonly set_password_mail?: { readonly msg: string };
}

interface Person {
  readonly id: string;
  readonly name: string;
}

/** Asks, invalidates the person's password, and shows the link with which they set a new password. */
export async function resetPassword(person: Person): Promise<void> {
  const options = await credentialsToEnd(`users/users/${person.id}/credentials/`);
  let answer: LinkAnswer = {};
  const done = await confirm({
    title: translate('users:link.ask', { name: person.name }),
    effect: translate(options.length > 0 ? 'users:link.ask_effect' : 'users:link.ask_nothing_else'),
    options,
    confirmLabel: translate('users:quick.reset'),
    danger: true,
    run: async (end) => {
      answer = await http.patch<LinkAnswer>(
        `users/users/${person.id}/password/reset/`,
        { end },
        { quiet: true },
      );
    },
  });
  if (done) await showSetPasswordLink(answer);
}

/** Ends all sessions and credentials of an account that may be compromised, then shows the link for a new password. */
export async function resetAccess(person: Person): Promise<void> {
  let answer: LinkAnswer = {};
  const done = await confirm({
    title: translate('users:access.ask', { name: person.name }),
    effect: translate('users:access.effect'),
    confirmLabel: translate('users:quick.reset_access_do'),
    danger: true,
    run: async () => {
      answer = await http.post<LinkAnswer>(`users/users/${person.id}/access/reset/`, undefined, {
        quiet: true,
      });
    },
  });
  if (!done) return;
  toast({ tone: 'ok', text: translate('users:access.done', { name: person.name }) });
  await showSetPasswordLink(answer);
}

/** Says that the link goes by mail, or shows the link if the answer contains one. It cannot be shown again. */
export async function showSetPasswordLink(answer: LinkAnswer): Promise<void> {
  if (answer.set_password_mail) toast({ tone: 'ok', text: answer.set_password_mail.msg });
  const link = answer.set_password_link;
  if (!link) return;
  const address = new URL(link.url, location.origin).href;
  await confirm({
    title: translate('users:link.title'),
    effect: translate('users:link.effect'),
    names: [address],
    confirmLabel: translate('users:link.copy'),
    failed: () => null, // copying says itself that it was refused
    run: async () => {
      await copyText(address);
      // Without a secure context nothing was copied: the dialog stays open, so that the link can be selected.
      if (!window.isSecureContext) throw new Error('The clipboard is closed.');
    },
  });
}
