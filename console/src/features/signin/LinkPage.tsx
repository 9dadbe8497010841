import { useState } from 'react';
import { ForgotPasswordPage } from './ForgotPasswordPage';
import { SetPasswordPage } from './SetPasswordPage';

/** `set-password#token`: use a link; `set-password?forgot=1`: ask for one. One route, so that other pages load less. */
export function LinkPage() {
  const [asks] = useState(() => new URLSearchParams(location.search).has('forgot'));
  return asks ? <ForgotPasswordPage /> : <SetPasswordPage />;
}
