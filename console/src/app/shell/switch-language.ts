import { changeLanguage, currentLanguage } from '#/lib/i18n';
import { queryClient } from '#/lib/query';

/**
 * Switches the language: texts at once; labels, choices and messages of the server by the cookie that the server reads.
 */
export async function switchLanguage(): Promise<void> {
  await changeLanguage(currentLanguage() === 'zh' ? 'en' : 'zh');
  await queryClient.invalidateQueries();
}
