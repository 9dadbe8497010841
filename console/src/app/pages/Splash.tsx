/** Shown while the session is being established: the logo alone. */
export function Splash() {
  return (
    <div className="grid min-h-dvh place-items-center" aria-busy="true">
      <img src={`${import.meta.env.BASE_URL}mark.svg`} alt="Postern" width={40} height={40} />
    </div>
  );
}
