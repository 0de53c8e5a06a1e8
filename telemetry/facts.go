package telemetry

// fileFacts lists every fact that is one file. Units are in the names.
var fileFacts = []fileFact{
	{"host.name", "proc/sys/kernel/hostname", word},
	{"host.boot_id", "proc/sys/kernel/random/boot_id", word},
	{"host.uptime_seconds", "proc/uptime", field(0)},
	{"kernel.release", "proc/sys/kernel/osrelease", word},
	{"kernel.version", "proc/sys/kernel/version", word},
	{"kernel.command_line", "proc/cmdline", commandLine},

	{"load.avg1", "proc/loadavg", field(0)},
	{"load.avg5", "proc/loadavg", field(1)},
	{"load.avg15", "proc/loadavg", field(2)},

	{"cpu.online", "sys/devices/system/cpu/online", word},
	{"cpu.isolated", "sys/devices/system/cpu/isolated", anyText},
	{"cpu.smt", "sys/devices/system/cpu/smt/active", flag},

	{"memory.thp", "sys/kernel/mm/transparent_hugepage/enabled", chosen},
	{"memory.thp_defrag", "sys/kernel/mm/transparent_hugepage/defrag", chosen},

	{"clock.source", "sys/devices/system/clocksource/clocksource0/current_clocksource", word},
	{"clock.sources_available", "sys/devices/system/clocksource/clocksource0/available_clocksource", words},
	{"clock.timer_slack_ns", "proc/self/timerslack_ns", whole},

	{"virtual.product", "sys/class/dmi/id/product_name", word},
	{"virtual.vendor", "sys/class/dmi/id/sys_vendor", word},
	{"virtual.hypervisor", "sys/hypervisor/type", word},
	{"host.bios_version", "sys/class/dmi/id/bios_version", word},
	{"host.board", "sys/class/dmi/id/board_name", word},

	{"sysctl.fs.file-max", "proc/sys/fs/file-max", whole},
	{"sysctl.kernel.numa_balancing", "proc/sys/kernel/numa_balancing", whole},
	{"sysctl.kernel.perf_event_paranoid", "proc/sys/kernel/perf_event_paranoid", whole},
	{"sysctl.kernel.sched_autogroup_enabled", "proc/sys/kernel/sched_autogroup_enabled", whole},
	{"sysctl.net.core.rmem_max", "proc/sys/net/core/rmem_max", whole},
	{"sysctl.net.core.somaxconn", "proc/sys/net/core/somaxconn", whole},
	{"sysctl.net.core.wmem_max", "proc/sys/net/core/wmem_max", whole},
	{"sysctl.net.ipv4.ip_local_port_range", "proc/sys/net/ipv4/ip_local_port_range", words},
	{"sysctl.net.ipv4.tcp_congestion_control", "proc/sys/net/ipv4/tcp_congestion_control", word},
	{"sysctl.net.ipv4.tcp_max_syn_backlog", "proc/sys/net/ipv4/tcp_max_syn_backlog", whole},
	{"sysctl.net.ipv4.tcp_rmem", "proc/sys/net/ipv4/tcp_rmem", words},
	{"sysctl.net.ipv4.tcp_slow_start_after_idle", "proc/sys/net/ipv4/tcp_slow_start_after_idle", whole},
	{"sysctl.net.ipv4.tcp_tw_reuse", "proc/sys/net/ipv4/tcp_tw_reuse", whole},
	{"sysctl.net.ipv4.tcp_wmem", "proc/sys/net/ipv4/tcp_wmem", words},
	{"sysctl.vm.swappiness", "proc/sys/vm/swappiness", whole},

	// Settings in this file act on every NCCL program of the machine without
	// showing in any environment variable.
	{"nccl.conf", "etc/nccl.conf", lines},
}

// anyText keeps an empty file as the empty answer it is.
func anyText(text string) (any, error) { return text, nil }
