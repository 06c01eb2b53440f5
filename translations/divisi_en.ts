<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<!-- Plurals only: all other English texts are the sources. -->
<TS version="2.1" language="en" sourcelanguage="en">
<context>
    <name>divisi::graphview::BlockText</name>
    <message numerus="yes">
        <source>%Ln operators</source>
        <translation>
            <numerusform>%Ln operator</numerusform>
            <numerusform>%Ln operators</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>divisi::graphview::SegmentBrush</name>
    <message numerus="yes">
        <source>There are %Ln segments; the next new one is %1</source>
        <translation>
            <numerusform>There is %Ln segment; the next new one is %1</numerusform>
            <numerusform>There are %Ln segments; the next new one is %1</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>divisi::panels::SplitPanel</name>
    <message numerus="yes">
        <source>%Ln operators, weights %1</source>
        <translation>
            <numerusform>%Ln operator, weights %1</numerusform>
            <numerusform>%Ln operators, weights %1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>, the best plan found with %Ln stages</source>
        <translation>
            <numerusform>, the best plan found with %Ln stage</numerusform>
            <numerusform>, the best plan found with %Ln stages</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>divisi::shell::SplitController</name>
    <message numerus="yes">
        <source>No faster plan with %Ln stages was found</source>
        <translation>
            <numerusform>No faster plan with %Ln stage was found</numerusform>
            <numerusform>No faster plan with %Ln stages was found</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>divisi::model::LiveNotes</name>
    <message numerus="yes">
        <source>%Ln operations did not fit into their reports: sums omit them</source>
        <translation>
            <numerusform>%Ln operation did not fit into its report: sums omit it</numerusform>
            <numerusform>%Ln operations did not fit into their reports: sums omit them</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>divisi::panels::ModuleText</name>
    <message numerus="yes">
        <source>%Ln placements</source>
        <translation>
            <numerusform>%Ln placement</numerusform>
            <numerusform>%Ln placements</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>divisi::panels::StoresView</name>
    <message numerus="yes">
        <source>The newest %Ln rows, as read by the node; there are older ones.</source>
        <translation>
            <numerusform>The newest row, as read by the node; there are older ones.</numerusform>
            <numerusform>The newest %Ln rows, as read by the node; there are older ones.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>divisi::panels::LedgerView</name>
    <message numerus="yes">
        <source>%Ln receipts written to %1</source>
        <translation>
            <numerusform>%Ln receipt written to %1</numerusform>
            <numerusform>%Ln receipts written to %1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln receipts up to number %1: all signed with this cluster&apos;s key and unchanged; %2 earlier ones are missing</source>
        <translation>
            <numerusform>%Ln receipt, number %1: signed with this cluster&apos;s key and unchanged; %2 earlier ones are missing</numerusform>
            <numerusform>%Ln receipts up to number %1: all signed with this cluster&apos;s key and unchanged; %2 earlier ones are missing</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln receipts up to number %1: all signed with this cluster&apos;s key and unchanged; no earlier one is missing</source>
        <translation>
            <numerusform>%Ln receipt, number %1: signed with this cluster&apos;s key and unchanged; no earlier one is missing</numerusform>
            <numerusform>%Ln receipts up to number %1: all signed with this cluster&apos;s key and unchanged; no earlier one is missing</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>divisi::topology::Details</name>
    <message numerus="yes">
        <source>%Ln chunks</source>
        <translation>
            <numerusform>%Ln chunk</numerusform>
            <numerusform>%Ln chunks</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln signals</source>
        <translation>
            <numerusform>%Ln signal</numerusform>
            <numerusform>%Ln signals</numerusform>
        </translation>
    </message>
</context>
</TS>
