package live

import "github.com/charmbracelet/x/term"

// Columns is how wide the terminal f is; 0 where it is none.
func Columns(f any) int {
	file, ok := f.(interface{ Fd() uintptr })
	if !ok {
		return 0
	}
	width, _, err := term.GetSize(file.Fd())
	if err != nil {
		return 0
	}
	return width
}
