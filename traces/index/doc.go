// Package index writes pages that lead to traces: a list of those in a folder,
// and the matrix of locks and checks with a story behind each cell.
//
// The pages need nothing but themselves, follow the reader's choice of light or
// dark, and link to traces beside them. Where a trace NAME.json has a page
// NAME.html beside it, they link to that too.
package index
