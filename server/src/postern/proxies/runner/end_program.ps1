# Ends the process whose id is the first line of standard input, and its children.
$id = [int][Console]::In.ReadLine()
if ($id -gt 4) { taskkill.exe /T /F /PID $id }
