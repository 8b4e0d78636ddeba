// Package diagram draws traces for documents and slides: as a sequence diagram
// in the language of Mermaid, which GitHub and others render, as a timeline in
// SVG, and as the page on which porcupine shows a history.
//
// All pictures show the same part of a trace, that of [traces.Narrate], and leave
// out the same attempts that only repeat others.
package diagram
