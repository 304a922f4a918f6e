"""Small files in XML and SGML, for the tests of their readers and to start mutations from."""

from __future__ import annotations

from pathlib import Path

FILES = Path(__file__).resolve().parents[1] / "fixtures" / "tables"
TMX = """<?xml version="1.0"?>
<!DOCTYPE tmx SYSTEM "tmx14.dtd">
<tmx version="1.4">
 <header srclang="en-US" adminlang="en"><note>a header</note></header>
 <body>
  <tu tuid="u1"><note>not text</note><prop type="x">nor this</prop>
   <tuv xml:lang="de-DE"><seg>Drücken Sie <bpt i="1">&lt;b></bpt>F1<ept i="1">&lt;/b></ept>.</seg></tuv>
   <tuv xml:lang="EN-us"><seg>Press <hi type="x">F1</hi><ph>%s</ph>.</seg></tuv>
   <tuv xml:lang="fr"><seg>Appuyez sur F1.</seg></tuv>
  </tu>
  <tu srclang="de"><tuv lang="en"><seg>Yes</seg></tuv><tuv lang="de"><seg>Ja</seg></tuv></tu>
  <tu><tuv xml:lang="en"><seg>alone</seg></tuv></tu>
 </body>
</tmx>
"""
XLIFF = """<?xml version="1.0" encoding="UTF-8"?>
<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2" xmlns:sdl="http://sdl.com/x">
 <doc-info xmlns="http://sdl.com/x"><source>not this</source></doc-info>
 <file original="a.docx" source-language="en-US" target-language="de-DE" datatype="x">
  <header><sdl:ref-files><target>nor this</target></sdl:ref-files></header>
  <body>
   <group id="g"><trans-unit id="1">
    <source>The <g id="1">red <x id="2"/>dog</g>.</source>
    <seg-source><mrk mtype="seg" mid="1">The red dog.</mrk></seg-source>
    <target><mrk mtype="seg" mid="1">Der <g id="1">rote <ph id="3">CODE</ph>Hund</g>.</mrk></target>
    <alt-trans><source>A dog</source><target>Ein Hund</target></alt-trans>
   </trans-unit></group>
   <trans-unit id="2"><source>untranslated</source><target/></trans-unit>
   <trans-unit id="3"><source>untranslated too</source></trans-unit>
   <trans-unit id="4"><source/><target/></trans-unit>
  </body>
 </file>
</xliff>
"""
XLIFF2 = """<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" xmlns:mtc="urn:oasis:names:tc:xliff:matches:2.0"
 version="2.1" srcLang="en" trgLang="ja">
 <file id="f1" original="a.txt"><notes><note>no text</note></notes>
  <unit id="u1">
   <mtc:matches><mtc:match ref="#1"><source>old</source><target>alt</target></mtc:match></mtc:matches>
   <originalData><data id="d1">&lt;b&gt;</data></originalData>
   <segment id="s1"><source>One <pc id="1">bold</pc><cp hex="000B"/>.</source>
    <target>一<ph id="2" dataRef="d1"/>つ。</target></segment>
   <ignorable><source> </source></ignorable>
   <segment id="s2"><source>Two.</source><target>二。</target></segment>
  </unit>
 </file>
</xliff>
"""
WMT = """<?xml version='1.0' encoding='utf-8'?>
<dataset id="newstest2024"><collection id="general">
 <doc origlang="en" id="d1" domain="news">
  <src lang="en"><p><seg id="1">One &amp; all.</seg></p><p><seg id="2">Two.</seg></p></src>
  <ref lang="de" translator="A"><p><seg id="1">Eins.</seg><seg id="2">Zwei.</seg></p></ref>
  <ref lang="de" translator="B"><p><seg id="1">Einer.</seg></p></ref>
  <hyp lang="de" system="X"><p><seg id="1">Ein.</seg><seg id="2">Zwo.</seg></p></hyp>
  <hyp lang="de" system="Y"><p><seg id="2">Zwei.</seg><seg id="1">Eins.</seg></p></hyp>
 </doc>
 <doc origlang="en" id="d2" domain="speech">
  <src lang="en"><p><seg id="1">Three.</seg></p></src>
  <ref lang="de" translator="A"><p><seg id="1">Drei.</seg></p></ref>
  <hyp lang="de" system="X"><p><seg id="1">Drei!</seg></p></hyp>
 </doc>
</collection></dataset>
"""
SGML = """<tstset setid="newstest2019" srclang="any" trglang="de">
<doc sysid="ours" docid="d1" genre="news" origlang="en">
<p>
<seg id="1">Fish & chips &amp; salad, a < b</seg>
<seg id="2"> two
lines </seg>
</p>
</doc>
<DOC docid='d2' sysid=theirs><hl><SEG id="1">&#8222;Ja&#x201C;</SEG></hl></DOC>
</tstset>
"""
