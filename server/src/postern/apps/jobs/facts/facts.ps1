# Prints facts about this host, one a line: the first line of the input, a tab, a name, a tab, the value.
# Run by the bootstrap of the runner, which provides $reader and $writer. What is missing is left out; "end" comes last.
$nonce = $reader.ReadLine()

function Say([string]$name, $value) {
  $text = ("$value" -replace '[\x00-\x1f\x7f]', ' ').Trim()
  if ($text.Length -gt 1000) { $text = $text.Substring(0, 1000) }
  if ($text) { $writer.WriteLine("$nonce`t$name`t$text") }
}

function Ask([string]$class) {
  try { Get-CimInstance -ClassName $class -ErrorAction Stop } catch { }
}

Say 'kernel' 'Windows'
Say 'arch' $env:PROCESSOR_ARCHITECTURE
Say 'hostname' $env:COMPUTERNAME
$os = Ask 'Win32_OperatingSystem' | Select-Object -First 1
Say 'os_name' $os.Caption
Say 'os_version' $os.Version
$system = Ask 'Win32_ComputerSystem' | Select-Object -First 1
Say 'vendor' $system.Manufacturer
Say 'model' $system.Model
Say 'memory_bytes' $system.TotalPhysicalMemory
Say 'cpu_threads' $system.NumberOfLogicalProcessors
$bios = Ask 'Win32_BIOS' | Select-Object -First 1
Say 'serial' $bios.SerialNumber
$processors = @(Ask 'Win32_Processor')
if ($processors.Count) {
  Say 'cpu_sockets' $processors.Count
  Say 'cpu_cores' $processors[0].NumberOfCores
  Say 'cpu_model' $processors[0].Name
}
foreach ($disk in (Ask 'Win32_DiskDrive' | Sort-Object Index)) {
  if ($disk.Size) { Say 'disk' "disk$($disk.Index) $([long]($disk.Size / 512))" }
}
Say 'end' '1'
