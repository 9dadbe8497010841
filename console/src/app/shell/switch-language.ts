import { changeLanguage, currentLanguage } from '#/lib/i18n';
import { queryClient } from '#/lib/query';

/** The other language: texts at once, and labels, choices and messages of the server with the cookie that it reads. */
export async function switchLanguage(): Promise<void> {
  await changeLanguage(currentLanguage() === 'zh' ? 'en' : 'zh');
  await queryClient.invalidateQueries();
}
