import { Navigate } from '@tanstack/react-router';

/** Leads to the file manager, for addresses typed by hand. */
export function ToFileManager() {
  return <Navigate to="/files" replace />;
}
